"""Settings for questions with images."""

from typing import ClassVar

from footnote.settings.marks import Group, Topic, setting


class Vision(Group):
    """Questions with images."""

    topic: ClassVar[Topic] = "answers"

    max_images: int = setting(4, ge=1, le=20, description="Maximum number of images in a question.", changeable=True, affects="nothing")
    max_image_mb: float = setting(5, gt=0, le=100, description="Maximum size of an image, in MiB.", changeable=True, affects="nothing")
