"""Tesseract, a program that recognises text in images."""
