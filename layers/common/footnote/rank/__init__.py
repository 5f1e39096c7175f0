"""Which evidence is best?"""
