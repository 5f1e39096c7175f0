"""One module or package per API: request models, replies and the profile of its turns."""
