extension Schema {
  /// The heart-rate monitors that the user enrolled, and when nothing arrived from a monitor.
  ///
  /// The samples name their monitors by source and device and refer to none of these rows: a monitor that is
  /// forgotten leaves them as they are. A gap may be of a monitor that was never enrolled, where a recording
  /// of it was replayed.
  static let monitors = """
    CREATE TABLE monitor (
      address TEXT NOT NULL, kind INTEGER NOT NULL, -- 0: public; 1: random
      revision INTEGER NOT NULL DEFAULT 1, -- how often it was enrolled
      name TEXT, manufacturer TEXT, model TEXT, serial_number TEXT,
      hardware_version TEXT, firmware_version TEXT, software_version TEXT,
      sensor_location INTEGER, bonded INTEGER NOT NULL,
      enrolled INTEGER NOT NULL, -- microseconds since 1970, as the two below
      last_seen INTEGER, last_measurement INTEGER,
      battery INTEGER, -- percent
      adapter TEXT, adapter_kind INTEGER, -- by which it was seen last
      PRIMARY KEY (address, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE monitor_gap (
      address TEXT NOT NULL, kind INTEGER NOT NULL,
      start INTEGER NOT NULL, -- microseconds since 1970
      end INTEGER CHECK (end >= start), -- NULL: nothing has arrived since
      cause TEXT NOT NULL,
      lost INTEGER, -- measurements that are known to be lost; NULL: not known
      PRIMARY KEY (address, kind, start)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX monitor_gap_open ON monitor_gap (address, kind) WHERE end IS NULL;
    """

  /// How far the gateway is with a monitor, in its own words; NULL where none has followed it.
  static let statesOfMonitors = "ALTER TABLE monitor ADD COLUMN state TEXT"
}
