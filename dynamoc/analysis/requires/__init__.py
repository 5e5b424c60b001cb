"""What rendered objects need from a cluster and do not bring."""
