"""Every threshold of layout: name, unit, default, reason."""
