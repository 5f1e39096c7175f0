"""Questions in, cited answers out, and the page."""

import gc

# Importing makes many objects and hardly any rubbish: looking for it all the while is a tenth of this function's cold start.
gc.set_threshold(50_000, 20, 20)
