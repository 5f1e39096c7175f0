"""Knowledge that a collection can build of its passages: a graph, a summary tree, token vectors. It is off until a collection builds it."""
