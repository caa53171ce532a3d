// swift-tools-version: 6.2
import PackageDescription

// The settings of all targets. Each file must import the modules that it uses, and re-exports are explicit.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Returns a target of the layer table in `Tests/RepositoryTests/Architecture`. A test fails if a target is not
/// in the table or imports from a higher layer.
func library(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: strict)
}

/// Returns an example target that cannot use `package` declarations, like a program outside this package.
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
    .library(name: "ExternalStores", targets: ["ExternalStores"]),
    // The product also contains the modules whose types are in the API of Gateway.
    .library(name: "Gateway", targets: ["Gateway", "Bluetooth", "BlueZ", "Ingestion"]),
    .library(name: "Bluetooth", targets: ["Bluetooth"]),
    .library(name: "HeartRateVariability", targets: ["HeartRateVariability"]),
    .library(name: "PacketLog", targets: ["PacketLog"]),
    .library(name: "StrapSimulator", targets: ["StrapSimulator"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // MARK: - Layer 0: basic types of radio, locations and files; formats, beats, packed samples; C
    library("Bluetooth"),
    library("CoreLocation"),
    library("UniformTypeIdentifiers"),
    library("HealthFormats"),
    library("HeartRateVariability"),
    library("PackedSamples"),
    library("Channels"),
    library("FileSystem"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    // Contains only BlueZ's headers: its library is not linked.
    .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
    // Declares the version suffix of the build, which is the date of the commit. scripts/build links its
    // value as a separate object file, so that a new commit does not recompile anything.
    .systemLibrary(name: "CProgramBuild"),
    .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    // Opens SQLite files that are encrypted with libcrypto. HealthStorage links both libraries.
    .target(name: "CEncryptedFiles"),
    // Embeds the files of the web page in the program.
    .target(name: "CPageFiles"),

    // MARK: - Layer 1: archives, storage engine
    library("Unpacking", ["CArchive"]),
    library(
      "HealthStorage",
      [
        "CEncryptedFiles", "COpenSSL", "CSQLite", "Channels", "FileSystem", "HealthFormats", "PackedSamples",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),

    // MARK: - Layer 2: HealthKit, packet logs, D-Bus
    library("PacketLog", ["Bluetooth", "CZlib", "Unpacking"]),
    library("DBus", ["CDBus"]),
    library("HealthKit", ["CoreLocation", "HealthFormats", "HealthStorage", "UniformTypeIdentifiers"]),

    // MARK: - Layer 3: sources and sinks
    library("AppleHealthExport", ["HealthFormats", "HealthKit", "HealthStorage", "Unpacking"]),
    library("PacketReplay", ["Bluetooth", "PacketLog"]),
    library("PacketRecording", ["Bluetooth", "CBluetooth", "PacketLog"]),
    library("StrapSimulator", ["Bluetooth", "PacketLog"]),
    library("BlueZ", ["Bluetooth", "Channels", "DBus"]),
    library("HealthKitSignatures", ["COpenSSL", "HealthKit"]),
    // The API for programs that use the user's store, and figures that are derived from stored beats.
    library("HealthSystem", ["FileSystem", "HealthKit", "HealthStorage", "HeartRateVariability"]),
    library("HealthDataSync", ["Channels", "HealthKit", "HealthStorage"]),
    library("Ingestion", ["Bluetooth", "HealthKit", "HealthStorage"]),

    // MARK: - Layer 4: the product
    library(
      "Gateway",
      ["Bluetooth", "BlueZ", "Channels", "HealthKit", "HealthStorage", "HealthSystem", "Ingestion"]),

    // The local web page.
    library(
      "HealthPage",
      [
        "AppleHealthExport", "CMicroHTTPD", "CPageFiles", "HealthDataSync", "HealthKit", "HealthStorage",
        "HealthSystem", "HeartRateVariability",
      ],
      // CPageFiles embeds the files of this folder.
      exclude: ["Page"]),

    // Generates the data of `hrgate demo`.
    library("DemoYear", ["HealthKit", "HealthStorage", "HealthSystem", "StrapSimulator"]),

    // MARK: - Layer 4: the external stores: files, FHIR, MQTT, PostgreSQL
    library(
      "ExternalStores",
      [
        "CCurl", "CMosquitto", "CPostgreSQL", "Channels", "FileSystem", "HealthDataSync", "HealthKit",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),

    // MARK: - Layer 5: the executables
    .executableTarget(
      name: "hrgate",
      dependencies: [
        "AppleHealthExport", "Bluetooth", "BlueZ", "CProgramBuild", "Channels", "DBus", "DemoYear",
        "FileSystem", "Gateway",
        "HealthDataSync", "HealthKit", "HealthPage", "HealthSystem", "HeartRateVariability", "Ingestion",
        "PacketLog",
        "PacketRecording", "PacketReplay", "StrapSimulator", "ExternalStores",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    // healthkit-tables generates Swift tables of HealthKit from the folder Data (scripts/generate).
    .executableTarget(name: "healthkit-tables", path: "Tools/healthkit-tables", swiftSettings: strict),
    // healthkit-coverage compares the public symbols of the HealthKit module with Apple's (scripts/coverage).
    .executableTarget(
      name: "healthkit-coverage", path: "Tools/healthkit-coverage", swiftSettings: strict),

    // MARK: - Examples: programs that use only the public API
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
        "Bluetooth", "PacketLog", "PacketRecording", "PacketReplay", "StrapSimulator", "TestSupport",
        "Unpacking",
      ]),
    tests(
      "BlueZTests",
      ["Bluetooth", "BlueZ", "CDBus", "DBus", "TestSupport", "hrgate"],
      exclude: [
        "Support/scripted_bluez.py", "Support/scripted_objects.py", "Support/scripted_values.py",
        "Support/test_scripted_bluez.py",
      ]),
    tests(
      "StorageTests", ["CEncryptedFiles", "FileSystem", "HealthStorage", "PackedSamples", "TestSupport"]),
    tests(
      "HealthKitTests",
      [
        "AppleHealthExport", "COpenSSL", "CoreLocation", "FileSystem", "HealthFormats", "HealthKit",
        "HealthKitSignatures",
        "HealthStorage", "HealthSystem", "TestSupport", "UniformTypeIdentifiers",
      ]),
    tests(
      "VariabilityTests",
      ["HealthKit", "HealthStorage", "HealthSystem", "HeartRateVariability", "TestSupport"],
      exclude: ["HeartRateVariability/Vectors"]),
    tests(
      "SyncTests",
      ["HealthDataSync", "HealthKit", "HealthStorage", "ExternalStores", "TestSupport"],
      exclude: ["SyncFHIR/Support/validate.py"]),
    tests(
      "PageTests",
      [
        "HealthDataSync", "HealthKit", "HealthPage", "HealthStorage", "HealthSystem",
        "HeartRateVariability", "TestSupport",
      ],
      exclude: ["README.md", "browser"]),
    tests(
      "GatewayTests",
      [
        "Bluetooth", "BlueZ", "Gateway", "HealthKit", "HealthStorage", "HealthSystem", "Ingestion",
        "StrapSimulator", "TestSupport",
      ]),
    .executableTarget(
      name: "store-client",
      dependencies: ["Bluetooth", "Gateway", "HealthKit", "HealthStorage", "Ingestion", "StrapSimulator"],
      path: "Tests/store-client",
      swiftSettings: strict),
    tests(
      "CommandTests",
      [
        "Bluetooth", "BlueZ", "DemoYear", "EmbeddedGateway", "FileSystem", "Gateway", "HealthDataSync",
        "HealthKit", "HealthPage",
        "HealthStorage", "HealthSystem", "HeartRateReader", "HeartRateRecorder", "HeartRateVariability",
        "Ingestion", "PacketLog", "StrapSimulator", "ExternalStores", "TestSupport", "hrgate",
        "store-client",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Stores"]),
    tests("ScenarioTests", ["TestSupport", "hrgate"]),
    tests(
      "RepositoryTests",
      [
        "BlueZ", "Bluetooth", "CoreLocation", "Gateway", "HealthDataSync", "HealthKit", "HeartRateReader",
        "HeartRateVariability", "Ingestion", "PacketLog", "PacketReplay", "StrapSimulator", "TestSupport",
        "healthkit-coverage", "healthkit-tables",
      ],
      // This folder is a separate package that the tests compile.
      exclude: ["Client/Client"]),
  ]
)
