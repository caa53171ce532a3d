// swift-tools-version: 6.2
import PackageDescription

// Only the parsers, linked from ../Sources, so that all code is instrumented and nothing else is built.
// scripts/fuzz builds this package with libFuzzer and AddressSanitizer.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Returns an executable whose `main` starts libFuzzer.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies + ["FuzzDriver"], swiftSettings: strict,
    linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
}

let package = Package(
  name: "Fuzz",
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")
  ],
  targets: [
    .systemLibrary(name: "LibFuzzer"),
    library("FuzzDriver", ["LibFuzzer"]),
    library("Bluetooth"),
    .systemLibrary(name: "CArchive", pkgConfig: "libarchive"),
    library("Unpacking", ["CArchive"]),
    library("PacketLog", ["Bluetooth", "CZlib", "Unpacking"]),
    .target(name: "CEncryptedFiles"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    library("HealthFormats"),
    library("PackedSamples"),
    library("Channels"),
    library("FileSystem"),
    library(
      "HealthStorage",
      [
        "CEncryptedFiles", "COpenSSL", "CSQLite", "Channels", "FileSystem", "HealthFormats", "PackedSamples",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    library("CoreLocation"),
    library("UniformTypeIdentifiers"),
    library("HealthKit", ["CoreLocation", "HealthFormats", "HealthStorage", "UniformTypeIdentifiers"]),
    library("AppleHealthExport", ["HealthFormats", "HealthKit", "HealthStorage", "Unpacking"]),
    fuzzer("fuzz-gatt", ["Bluetooth"]),
    fuzzer("fuzz-packetlog", ["Bluetooth", "PacketLog"]),
    fuzzer("fuzz-hoststack", ["Bluetooth", "PacketLog"]),
    fuzzer("fuzz-signatures", ["COpenSSL", "HealthKit"]),
    fuzzer("fuzz-block", ["PackedSamples"]),
    fuzzer("fuzz-store", ["HealthStorage"]),
    fuzzer("fuzz-units", ["HealthFormats"]),
    fuzzer("fuzz-archive", ["HealthFormats"]),
    fuzzer("fuzz-healthkit", ["HealthKit"]),
    fuzzer("fuzz-cda", ["HealthFormats"]),
    fuzzer("fuzz-export", ["AppleHealthExport"]),
  ]
)
