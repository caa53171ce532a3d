import GRDB

/// The database schema and its migrations. Released migrations never change; each schema change is a new
/// migration.
enum Schema {
  static var migrator: DatabaseMigrator { migrator(converting: nil) }

  /// - Parameter survey: The readable rows of the table `batch`; `nil` to determine them during the
  ///   migration.
  static func migrator(converting survey: EarlierBatches.Survey?) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(sql: provenance)
      try database.execute(sql: samples)
    }
    migrator.registerMigration("2") { database in
      try database.execute(sql: archives)
      try database.execute(sql: identity)
    }
    migrator.registerMigration("3") { database in
      try database.execute(sql: membership)
      try database.execute(sql: series)
      try database.execute(sql: authorization)
      try database.execute(sql: preferences)
      try database.execute(sql: backgroundDelivery)
      try database.execute(sql: medications)
      try database.execute(sql: summaries)
      try database.execute(sql: "CREATE INDEX deleted_object_uuid ON deleted_object (uuid)")
    }
    migrator.registerMigration("4") { database in try database.execute(sql: monitors) }
    migrator.registerMigration("5") { database in
      try database.execute(sql: positionsOfSeries)
      try database.execute(sql: positionsOfRelations)
    }
    migrator.registerMigration("6") { database in try database.execute(sql: statesOfMonitors) }
    migrator.registerMigration("7") { database in try database.execute(sql: settingsOfClock) }
    migrator.registerMigration("8") { database in try database.execute(sql: attachments) }
    migrator.registerMigration("9") { database in try database.execute(sql: synchronisation) }
    migrator.registerMigration("10") { database in try database.execute(sql: changesInPlace) }
    migrator.registerMigration("11") { database in try database.execute(sql: recordedTimes) }
    migrator.registerMigration("12") { database in try database.execute(sql: counts) }
    migrator.registerMigration("13") { database in try database.execute(sql: blocks) }
    migrator.registerMigration("14") { database in try database.execute(sql: batches) }
    migrator.registerMigration("15") { database in
      try database.execute(sql: openSeries)
      try SampleCounts.forgetBatches(in: database)
    }
    migrator.registerMigration("16") { database in try database.execute(sql: destinationMarkers) }
    migrator.registerMigration("17") { database in try database.execute(sql: monitorSettings) }
    // A store with damaged references must still open. `hrgate store check` reports them.
    migrator = migrator.disablingDeferredForeignKeyChecks()
    migrator.registerMigration("18") { database in
      try database.execute(sql: segments)
      guard let earlier = try EarlierBatches(in: database) else { return }
      let found = try survey ?? earlier.survey()
      try earlier.keep(earlier.convert(found).damage)
      try earlier.drop(found)
    }
    return migrator
  }

  /// The small tables (types, units, sources and so on). Each distinct value is stored once, and other rows
  /// refer to it by ID.
  ///
  /// For UNIQUE, SQLite treats two NULLs as different. So the indexes replace NULL by an empty blob, which
  /// differs from every text.
  private static let provenance = """
    CREATE TABLE object_type (
      id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE,
      longest INTEGER NOT NULL DEFAULT 0 -- greatest end - start ever stored: bounds the search for overlaps
    ) STRICT;
    CREATE TABLE unit (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE source (
      id INTEGER PRIMARY KEY, bundle_identifier TEXT NOT NULL UNIQUE, name TEXT NOT NULL
    ) STRICT;
    CREATE TABLE source_revision (
      id INTEGER PRIMARY KEY, source INTEGER NOT NULL REFERENCES source,
      version TEXT, product_type TEXT, operating_system TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX source_revision_value ON source_revision
      (source, ifnull(version, x''), ifnull(product_type, x''), operating_system);
    CREATE TABLE device (
      id INTEGER PRIMARY KEY, name TEXT, manufacturer TEXT, model TEXT, hardware_version TEXT,
      firmware_version TEXT, software_version TEXT, local_identifier TEXT, udi_device_identifier TEXT
    ) STRICT;
    CREATE UNIQUE INDEX device_value ON device
      (ifnull(name, x''), ifnull(manufacturer, x''), ifnull(model, x''), ifnull(hardware_version, x''),
       ifnull(firmware_version, x''), ifnull(software_version, x''), ifnull(local_identifier, x''),
       ifnull(udi_device_identifier, x''));
    CREATE TABLE provenance (
      id INTEGER PRIMARY KEY,
      source_revision INTEGER NOT NULL REFERENCES source_revision, device INTEGER REFERENCES device
    ) STRICT;
    CREATE UNIQUE INDEX provenance_value ON provenance (source_revision, ifnull(device, 0));
    CREATE TABLE metadata (id INTEGER PRIMARY KEY, encoded BLOB NOT NULL UNIQUE) STRICT;
    """

  /// Samples and deletions. Their IDs come from one increasing sequence, so both tables together are the
  /// change log.
  private static let samples = """
    CREATE TABLE sample (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
      type INTEGER NOT NULL REFERENCES object_type,
      start INTEGER NOT NULL, -- microseconds since 1970
      end INTEGER CHECK (end > start), -- NULL: the instant of start
      provenance INTEGER NOT NULL REFERENCES provenance,
      metadata INTEGER REFERENCES metadata,
      value REAL, unit INTEGER REFERENCES unit
    ) STRICT;
    CREATE INDEX sample_type_start ON sample (type, start);
    CREATE TABLE heartbeat_series (
      sample INTEGER PRIMARY KEY REFERENCES sample ON DELETE CASCADE,
      count INTEGER NOT NULL, beats BLOB NOT NULL
    ) STRICT;
    CREATE TABLE synced_object (
      sample INTEGER PRIMARY KEY REFERENCES sample ON DELETE CASCADE,
      source INTEGER NOT NULL REFERENCES source, type INTEGER NOT NULL REFERENCES object_type,
      identifier TEXT NOT NULL, version INTEGER NOT NULL,
      UNIQUE (source, type, identifier)
    ) STRICT;
    CREATE TABLE deleted_object (
      id INTEGER PRIMARY KEY,
      uuid BLOB NOT NULL CHECK (length(uuid) = 16),
      type INTEGER NOT NULL REFERENCES object_type, source INTEGER NOT NULL REFERENCES source,
      sync_identifier TEXT, sync_version INTEGER
    ) STRICT;
    """

  /// A random text that distinguishes this store's change log from those of other stores.
  private static let identity = """
    CREATE TABLE store_identity (token TEXT NOT NULL) STRICT;
    INSERT INTO store_identity VALUES (lower(hex(randomblob(16))));
    """

  /// The archived content of samples that consist of more than a number, such as workouts.
  private static let archives = """
    CREATE TABLE archived_sample (
      sample INTEGER PRIMARY KEY REFERENCES sample ON DELETE CASCADE,
      archive BLOB NOT NULL
    ) STRICT;
    """
}
