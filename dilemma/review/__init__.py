"""What people read and label: the report page, and the review app (extra ``review``)."""
