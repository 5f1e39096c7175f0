"""Where might answers be?"""
