"""From `schemas/`, which people read and edit, to what the package reads at run time. `render` never imports it."""
