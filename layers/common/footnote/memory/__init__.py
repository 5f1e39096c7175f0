"""What is kept between turns?"""
