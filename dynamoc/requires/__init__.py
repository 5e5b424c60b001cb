"""What rendered objects need from a cluster and don't bring along. `requirements.py` is the way in."""
