"""Many trainings over a grid of settings: points, one trial as a plain function, engines, pruning, status and report.

Nothing but `cluster.py` knows of Ray. What is on disk is the truth; no engine is asked what was done.
"""
