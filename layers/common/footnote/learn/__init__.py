"""What do turns teach?"""
