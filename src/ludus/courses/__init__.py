"""Courses: what an assignment asks for and how it is graded, as functions of their arguments."""
