"""Where values come from: the pipeline run over values that know their origin."""
