/// The architecture as it is meant to be. The tests beside this file hold the code against it.
enum Architecture {
  /// Each target and its layer. A target imports only from layers below its own.
  static let layers: [String: Int] = [
    "Bluetooth": 0,
    "Channels": 0,
    "CoreLocation": 0,
    "FileSystem": 0,
    "HealthFormats": 0,
    "HeartRateVariability": 0,
    "PackedSamples": 0,
    "UniformTypeIdentifiers": 0,
    "COpenSSL": 0,
    "CSQLite": 0,
    "CZlib": 0,
    "CDBus": 0,
    "CBluetooth": 0,
    "CMicroHTTPD": 0,
    "CProgramBuild": 0,
    "CArchive": 0,
    "CCurl": 0,
    "CPostgreSQL": 0,
    "CMosquitto": 0,
    "CPageFiles": 0,
    "Unpacking": 1,
    "HealthStorage": 1,
    "PacketLog": 2,
    "DBus": 2,
    "HealthKit": 2,
    "AppleHealthExport": 3,
    "BlueZ": 3,
    "PacketReplay": 3,
    "PacketRecording": 3,
    "StrapSimulator": 3,
    "HealthKitSignatures": 3,
    "HealthSystem": 3,
    "HealthDataSync": 3,
    "Ingestion": 3,
    "Gateway": 4,
    "HealthPage": 4,
    "ExternalStores": 4,
    "TerminalEvents": 4,
    "hrgate": 5,
    "HeartRateRecorder": 5,
    "HeartRateReader": 5,
    "EmbeddedGateway": 5,
    "healthkit-tables": 5,
    "healthkit-coverage": 5,
  ]

  /// The targets that may import a third-party module: one for each use of it. SQLite, by GRDB, has two: the
  /// health store, and the index of a sync folder, which is no health data and is not in the store.
  static let owners: [String: Set<String>] = [
    "GRDB": ["HealthStorage", "ExternalStores"],
    "GRDBSQLite": ["HealthStorage"],
    "ArgumentParser": ["hrgate"],
  ]

  /// What talks to a terminal.
  static let executables: Set<String> = [
    "hrgate", "healthkit-tables", "healthkit-coverage", "HeartRateRecorder", "HeartRateReader",
    "EmbeddedGateway",
  ]

  /// Modules of the toolchain, which any target may import.
  static let toolchain: Set<String> = [
    "Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Dispatch",
  ]

  /// What the two halves may not know of each other: left of `Central` there is no health, right of it no
  /// radio.
  static let forbidden: [(target: String, imports: Set<String>, reason: String)] = [
    ("PacketReplay", ["HealthKit", "HealthStorage"], "a source of events knows no health store"),
    ("PacketRecording", ["HealthKit", "HealthStorage"], "a recorder of packets knows no health store"),
    ("BlueZ", ["HealthKit", "HealthStorage"], "a source of events knows no health store"),
    ("StrapSimulator", ["HealthKit", "HealthStorage"], "a source of events knows no health store"),
    // It may import HealthStorage: gaps and what is learnt of monitors are rows for which HealthKit has no
    // type, and they are saved in one transaction with the samples.
    (
      "Ingestion", ["PacketLog", "BlueZ", "DBus"],
      "ingestion sees a Central, whatever is behind it"
    ),
    ("Gateway", ["PacketLog", "DBus"], "a gateway sees a Central, and makes none but BlueZ's"),
    (
      "HealthKitSignatures", ["HealthStorage", "Bluetooth"],
      "a signature covers a sample, not a row or a packet"
    ),
    (
      "HealthPage", ["Bluetooth", "BlueZ", "DBus", "hrgate", "Ingestion"],
      "the page is told of monitors by whoever serves it"
    ),
    ("hrgate", ["HealthStorage"], "the executable is glue over the seams"),
    ("TerminalEvents", ["HealthKit"], "a terminal knows nothing of health"),
    ("HeartRateRecorder", ownModules, "an application has HealthKit and no more of ours"),
    ("HeartRateReader", ownModules, "an application has HealthKit and no more of ours"),
    (
      "EmbeddedGateway",
      ownModules.subtracting(["Bluetooth", "Gateway", "Ingestion", "StrapSimulator"]),
      "a program that embeds the gateway has its products and no more of ours"
    ),
  ]

  private static let ownModules = Set(layers.keys).subtracting(["HealthKit", "TerminalEvents"])

  /// Where targets have their folders.
  static let roots = ["Sources", "Examples", "Tools"]

  /// Words for a room in which anything could stand.
  static let emptyNames = ["Common", "Utils", "Utilities", "Shared", "Helper", "Manager", "Misc"]

  /// How names begin that somebody else gave: those of the interface of health-data-sync.
  static let namesOfOthers = "HDS"

  /// No file needs more; one that grows past it holds two things.
  static let longestFile = 400
}
