"""What do we say?"""
