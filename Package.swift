// swift-tools-version: 6.2
import PackageDescription

// One setting list for every target: what a file uses it imports itself, and what it re-exports it says.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target of the layer table in `Tests/RepositoryTests/Architecture`; that test fails when a target is not in it or
/// imports from above.
func library(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: strict)
}

/// A program as anybody could write one: the `package` API is out of its reach.
func example(_ name: String) -> Target {
  .executableTarget(
    name: name, dependencies: ["HealthKit", "TerminalEvents"], path: "Examples/\(name)",
    exclude: ["Info.plist", "\(name).entitlements"], packageAccess: false, swiftSettings: strict)
}

let package = Package(
  name: "hrgate",
  products: [
    .executable(name: "hrgate", targets: ["hrgate"]),
    .library(name: "HealthKit", targets: ["HealthKit"]),
    .library(name: "CoreLocation", targets: ["CoreLocation"]),
    .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
    .library(name: "HealthKitSignatures", targets: ["HealthKitSignatures"]),
    .library(name: "HealthDataSync", targets: ["HealthDataSync"]),
    .library(name: "SyncPostgreSQL", targets: ["SyncPostgreSQL"]),
    // With the modules that its API names.
    .library(name: "Gateway", targets: ["Gateway", "Bluetooth", "BluetoothCentral", "BlueZ", "Ingestion"]),
    .library(name: "GATT", targets: ["GATT"]),
    .library(name: "HeartRateVariability", targets: ["HeartRateVariability"]),
    .library(name: "PacketLog", targets: ["PacketLog"]),
    .library(name: "StrapSimulator", targets: ["StrapSimulator"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // MARK: - Layer 0: the vocabularies of the radio, places and files; units, documents, beats, packed
    // samples and files, systemd; C
    library("Bluetooth"),
    library("ClinicalDocument"),
    library("CoreLocation"),
    library("UniformTypeIdentifiers"),
    library("UnitAlgebra"),
    library("HeartRateVariability"),
    library("PackedSamples"),
    library("Systemd"),
    library("ProgramSettings"),
    library("PrometheusText"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    // BlueZ's headers alone: nothing of its library is linked.
    .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
    // What scripts/build says of the program, which is linked with it and compiled into nothing.
    .systemLibrary(name: "CProgramBuild"),
    .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    // The files of the page, in the program.
    .target(name: "CPageFiles"),

    // MARK: - Layer 1: values, archives, host stack, storage engine
    library("GATT", ["Bluetooth"]),
    library("HostStack", ["Bluetooth"]),
    library("KeyedArchives"),
    library("Unpacking", ["CArchive"]),
    library(
      "HealthStorage",
      [
        "COpenSSL", "CSQLite", "PackedSamples", "UnitAlgebra",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),

    // MARK: - Layer 2: the seams
    library("PacketLog", ["Bluetooth", "CZlib", "Unpacking"]),
    library("BluetoothCentral", ["Bluetooth"]),
    library("DBus", ["CDBus"]),
    library(
      "HealthKit",
      [
        "ClinicalDocument", "CoreLocation", "HealthStorage", "KeyedArchives", "UniformTypeIdentifiers",
        "UnitAlgebra",
      ]),

    // MARK: - Layer 3: sources and sinks
    library("AppleHealthExport", ["ClinicalDocument", "HealthKit", "HealthStorage", "Unpacking"]),
    library("PacketReplay", ["Bluetooth", "BluetoothCentral", "GATT", "HostStack", "PacketLog"]),
    library("PacketRecording", ["Bluetooth", "CBluetooth", "HostStack", "PacketLog"]),
    library("StrapSimulator", ["Bluetooth", "BluetoothCentral", "GATT", "HostStack", "PacketLog"]),
    library("BlueZ", ["Bluetooth", "BluetoothCentral", "DBus", "GATT"]),
    library("HealthKitSignatures", ["COpenSSL", "HealthKit"]),
    // What stands in the gateway's way on this machine: facts that are gathered, and checks that judge them.
    library("Diagnosis", ["Bluetooth", "BluetoothCentral", "DBus"]),
    library("GatewayBus", ["DBus"]),
    // Figures that follow from the stored beats, in the store.
    library("DerivedSamples", ["HealthKit", "HealthStorage", "HeartRateVariability"]),
    library("HealthSystem", ["HealthKit", "HealthStorage"]),
    library("HealthDataSync", ["HealthKit", "HealthStorage"]),
    library("Ingestion", ["Bluetooth", "BluetoothCentral", "GATT", "HealthKit", "HealthStorage"]),

    // MARK: - Layer 4: the product
    library(
      "Gateway",
      [
        "Bluetooth", "BluetoothCentral", "BlueZ", "DerivedSamples", "GATT", "HealthKit", "HealthStorage",
        "HealthSystem", "Ingestion",
      ]),

    // What people look at: the page, served on this machine alone.
    library(
      "HealthPage",
      [
        "CMicroHTTPD", "CPageFiles", "DerivedSamples", "HealthDataSync", "HealthKit", "HealthStorage",
        "HealthSystem", "HeartRateVariability",
      ],
      // They stand in CPageFiles.
      exclude: ["Page"]),

    // MARK: - Layer 4: the external stores
    library(
      "SyncFiles", ["HealthDataSync", "HealthKit", .product(name: "GRDB", package: "GRDB.swift")]),
    library("SyncFHIR", ["CCurl", "HealthDataSync", "HealthKit"]),
    library("SyncMQTT", ["CMosquitto", "HealthDataSync", "HealthKit"]),
    library("SyncPostgreSQL", ["CPostgreSQL", "HealthDataSync", "HealthKit"]),

    // MARK: - Layer 5: the executables
    .executableTarget(
      name: "hrgate",
      dependencies: [
        "AppleHealthExport", "Bluetooth", "BluetoothCentral", "BlueZ", "CProgramBuild", "DBus",
        "DerivedSamples", "Diagnosis", "Gateway", "GatewayBus", "HealthDataSync", "HealthKit", "HealthPage",
        "HealthSystem", "HeartRateVariability", "Ingestion", "PacketLog", "ProgramSettings", "PrometheusText",
        "PacketRecording", "PacketReplay", "StrapSimulator", "SyncFHIR", "SyncFiles", "SyncMQTT",
        "SyncPostgreSQL", "Systemd",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    // Tools of the project, not of the product. This one makes the tables of HealthKit from Data
    // (scripts/generate),
    .executableTarget(name: "healthkit-tables", swiftSettings: strict),
    // and this one compares what the compiler says of HealthKit with Apple's symbols (scripts/coverage).
    .executableTarget(name: "healthkit-coverage", swiftSettings: strict),

    // MARK: - Examples: programs as anybody could write them, with the public API alone
    .target(
      name: "TerminalEvents", path: "Examples/TerminalEvents", packageAccess: false, swiftSettings: strict),
    example("HeartRateRecorder"),
    example("HeartRateReader"),
    .executableTarget(
      name: "EmbeddedGateway",
      dependencies: ["Bluetooth", "Gateway", "HealthKit", "Ingestion", "StrapSimulator"],
      path: "Examples/EmbeddedGateway", packageAccess: false, swiftSettings: strict),

    // MARK: - Tests
    .target(
      name: "TestSupport", dependencies: ["Bluetooth", "CSQLite", "PacketLog"],
      path: "Tests/TestSupport", exclude: ["Servers/fhir_server.py", "Servers/postgresql-server.sh"],
      swiftSettings: strict),
    tests(
      "RadioTests",
      [
        "Bluetooth", "BluetoothCentral", "GATT", "HostStack", "PacketLog", "PacketRecording", "PacketReplay",
        "StrapSimulator", "TestSupport", "Unpacking",
      ]),
    tests(
      "BlueZTests",
      [
        "Bluetooth", "BluetoothCentral", "BlueZ", "CDBus", "DBus", "Diagnosis", "GATT", "GatewayBus",
        "Systemd", "TestSupport",
      ],
      exclude: [
        "Support/scripted_bluez.py", "Support/scripted_objects.py", "Support/scripted_values.py",
        "Support/test_scripted_bluez.py",
      ]),
    tests("StorageTests", ["HealthStorage", "PackedSamples", "TestSupport"]),
    tests(
      "HealthKitTests",
      [
        "AppleHealthExport", "COpenSSL", "ClinicalDocument", "CoreLocation", "HealthKit",
        "HealthKitSignatures",
        "HealthStorage", "HealthSystem", "KeyedArchives", "TestSupport", "UniformTypeIdentifiers",
        "UnitAlgebra",
      ]),
    tests(
      "VariabilityTests",
      [
        "DerivedSamples", "HealthKit", "HealthStorage", "HealthSystem", "HeartRateVariability", "TestSupport",
      ],
      exclude: ["HeartRateVariability/Vectors"]),
    tests(
      "SyncTests",
      [
        "HealthDataSync", "HealthKit", "HealthStorage", "SyncFHIR", "SyncFiles", "SyncMQTT",
        "SyncPostgreSQL", "TestSupport",
      ],
      exclude: ["SyncFHIR/Support/validate.py"]),
    tests(
      "PageTests",
      [
        "DerivedSamples", "HealthKit", "HealthPage", "HealthStorage", "HealthSystem", "HeartRateVariability",
        "TestSupport",
      ],
      exclude: ["README.md", "browser"]),
    tests(
      "GatewayTests",
      [
        "Bluetooth", "BluetoothCentral", "BlueZ", "DerivedSamples", "Gateway", "GATT", "HealthKit",
        "HealthStorage", "HealthSystem", "Ingestion", "StrapSimulator", "TestSupport",
      ]),
    .executableTarget(
      name: "store-client",
      dependencies: [
        "Bluetooth", "BluetoothCentral", "GATT", "Gateway", "HealthKit", "HealthStorage", "StrapSimulator",
      ], path: "Tests/store-client",
      swiftSettings: strict),
    tests(
      "CommandTests",
      [
        "Bluetooth", "BluetoothCentral", "BlueZ", "EmbeddedGateway", "Gateway", "GatewayBus", "GATT",
        "HealthDataSync", "HealthKit", "HealthPage", "HealthStorage", "HealthSystem", "HeartRateReader",
        "HeartRateRecorder", "HeartRateVariability", "Ingestion", "PacketLog", "ProgramSettings",
        "PrometheusText", "StrapSimulator", "SyncFiles", "Systemd", "TestSupport", "hrgate", "store-client",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Stores"]),
    tests("ScenarioTests", ["TestSupport", "hrgate"]),
    tests(
      "RepositoryTests",
      [
        "CoreLocation", "HealthDataSync", "HealthKit", "HeartRateReader", "TestSupport",
        "healthkit-coverage", "healthkit-tables",
      ],
      // A package that the tests compile.
      exclude: ["Client/Client"]),
  ]
)
