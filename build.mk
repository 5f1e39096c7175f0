# Shared by both Makefiles of `sam build`: the target Python version and architecture of the libraries, and their installer.
# The defaults are those of template.yaml: ARCHITECTURE=x86_64 PYTHON_VERSION=3.13 sam build
ARCHITECTURE ?= arm64
PYTHON_VERSION ?= 3.14

PROJECT := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
UV ?= $(or $(shell command -v uv),$(wildcard $(PROJECT).venv/bin/uv),$(error uv is missing: pip install uv))

# uv does not read pip's configuration, so a package index that is set there is passed on to uv.
ifndef UV_DEFAULT_INDEX
  INDEX := $(firstword $(shell python3 -m pip config list 2>/dev/null | sed -n "s/^\(:env:\|global\|install\)\.index-url='\(.*\)'$$/\2/p"))
  ifneq ($(INDEX),)
    export UV_DEFAULT_INDEX := $(INDEX)
  endif
endif

PLATFORM := $(ARCHITECTURE:arm64=aarch64)-manylinux_2_28
INSTALL := "$(UV)" pip install --quiet --no-deps --require-hashes --only-binary :all: --python-platform $(PLATFORM) \
  --python-version $(PYTHON_VERSION) --link-mode copy
