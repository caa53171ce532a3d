extension Schema {
  /// The heart-rate monitors that the user has paired, and the gaps in their measurements.
  ///
  /// Samples do not refer to these rows but to a source and a device, so removing a monitor does not affect
  /// them. A gap may belong to a monitor that was never paired, but whose recording was imported.
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

  /// The state of a monitor as stored by a gateway; NULL if no gateway has tried to connect to the monitor.
  static let statesOfMonitors = "ALTER TABLE monitor ADD COLUMN state TEXT"

  /// How a monitor deviates from the specification, as declared by the user.
  static let monitorSettings = """
    ALTER TABLE monitor ADD COLUMN
      interval_unit INTEGER; -- the unit of its intervals, as parts of a second; NULL: 1024
    ALTER TABLE monitor ADD COLUMN
      ignores_contact INTEGER NOT NULL DEFAULT 0; -- 1: what it says about sensor contact is wrong
    """

  /// The settings of the wall clock while a gateway was running. Two settings with the same boot ID show by
  /// how much the clock was changed.
  static let settingsOfClock = """
    CREATE TABLE clock_setting (
      id INTEGER PRIMARY KEY, -- in the order in which they were valid
      boot TEXT NOT NULL, -- the kernel's id of this start of the machine
      origin INTEGER NOT NULL, -- the time at which the boot clock stood at 0, microseconds since 1970
      start INTEGER NOT NULL, -- microseconds since 1970, as the two below
      run INTEGER NOT NULL, -- when the last run of the gateway under it began
      end INTEGER, -- NULL: that run lasts, or was killed
      ahead INTEGER NOT NULL DEFAULT 0, -- by how many microseconds its times were ahead; 0: none known
      at_least INTEGER NOT NULL DEFAULT 0, -- 1: the machine was started anew before, so perhaps by more
      after_sample INTEGER NOT NULL -- the last change before it: its samples have greater ids
    ) STRICT;
    """

  /// Samples and gaps whose times come from a recording, which corrections of this machine's clock must not
  /// change. Only samples stored after the first recorded setting of the clock are listed.
  static let recordedTimes = """
    CREATE TABLE recorded_sample (
      first INTEGER PRIMARY KEY, last INTEGER NOT NULL -- the ids of samples
    ) STRICT;
    ALTER TABLE monitor_gap ADD COLUMN
      recorded INTEGER NOT NULL DEFAULT 0; -- 1: its start; 2: its end; 3: both
    """
}
