extension Schema {
  /// Programs that are started when there are changes for them, and running programs.
  static let backgroundDelivery = """
    CREATE TABLE background_launch (
      application INTEGER PRIMARY KEY REFERENCES application ON DELETE CASCADE,
      unit TEXT, -- a systemd user unit; NULL: the executable
      executable TEXT NOT NULL
    ) STRICT;
    CREATE TABLE background_delivery (
      application INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
      type TEXT NOT NULL, frequency INTEGER NOT NULL,
      position INTEGER NOT NULL, -- how much of the change log was acknowledged
      delivered INTEGER, -- microseconds since 1970
      misses INTEGER NOT NULL DEFAULT 0, -- deliveries since the last acknowledgement
      PRIMARY KEY (application, type)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE running_application ( -- to be believed only as long as there is such a process
      application INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
      process INTEGER NOT NULL, started TEXT NOT NULL,
      PRIMARY KEY (application, process)
    ) STRICT, WITHOUT ROWID;
    """
}
