"""What lasts between turns?"""
