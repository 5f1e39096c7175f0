"""Where might the answer be?"""
