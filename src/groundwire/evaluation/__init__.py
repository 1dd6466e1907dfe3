"""Evaluation: the same tasks with different toolsets, graded by the tasks' own tests, compared."""
