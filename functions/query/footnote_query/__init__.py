"""The query function: questions, cited answers and the web page."""
