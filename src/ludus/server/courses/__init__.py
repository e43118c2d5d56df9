"""Assignments of classes: submissions, gradings and marks."""
