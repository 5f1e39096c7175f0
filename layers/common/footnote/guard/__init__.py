"""May this be asked?"""
