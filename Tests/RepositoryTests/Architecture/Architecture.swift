/// The intended architecture. The tests in this folder compare the code with it.
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
    "CEncryptedFiles": 0,
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
    "DemoYear": 4,
    "ExternalStores": 4,
    "TerminalEvents": 4,
    "hrgate": 5,
    "HeartRateRecorder": 5,
    "HeartRateReader": 5,
    "EmbeddedGateway": 5,
    "healthkit-tables": 5,
    "healthkit-coverage": 5,
  ]

  /// The targets that may import a third-party module. GRDB has two owners: the health store, and the index
  /// of a sync folder, which holds no health data and is not in the store.
  static let owners: [String: Set<String>] = [
    "GRDB": ["HealthStorage", "ExternalStores"],
    "GRDBSQLite": ["HealthStorage"],
    "ArgumentParser": ["hrgate"],
  ]

  /// Targets that may print to a terminal.
  static let executables: Set<String> = [
    "hrgate", "healthkit-tables", "healthkit-coverage", "HeartRateRecorder", "HeartRateReader",
    "EmbeddedGateway",
  ]

  /// Modules of the toolchain. Any target may import them.
  static let toolchain: Set<String> = [
    "Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Dispatch",
  ]

  /// Imports that keep the radio and the health data apart. Targets that produce `Central` events do not know
  /// the health store; targets that consume them do not know the radio.
  static let forbidden: [(target: String, imports: Set<String>, reason: String)] = [
    ("PacketReplay", ["HealthKit", "HealthStorage"], "a source of events knows no health store"),
    ("PacketRecording", ["HealthKit", "HealthStorage"], "a recorder of packets knows no health store"),
    ("BlueZ", ["HealthKit", "HealthStorage"], "a source of events knows no health store"),
    ("StrapSimulator", ["HealthKit", "HealthStorage"], "a source of events knows no health store"),
    // Ingestion may import HealthStorage: gaps and learned facts about monitors are rows without a HealthKit
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
      "the page gets its monitors from the process that serves it"
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

  /// Folders that contain targets.
  static let roots = ["Sources", "Examples", "Tools"]

  /// Suffixes of names that do not say what they contain.
  static let emptyNames = ["Common", "Utils", "Utilities", "Shared", "Helper", "Manager", "Misc"]

  /// Prefix of names that come from another project: the interface of health-data-sync.
  static let namesOfOthers = "HDS"

  /// Maximum number of lines in a file. A longer file contains more than one concept.
  static let longestFile = 400
}
