// swift-tools-version: 6.2
import PackageDescription

// Contains only the targets between D-Bus and the ingestion pipeline, linked from ../../Sources, so that the
// package builds within a minute.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "Notification",
  targets: [
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1"),
    library("Bluetooth"),
    library("Channels"),
    library("DBus", ["CDBus"]),
    library("BlueZ", ["Bluetooth", "Channels", "DBus"]),
    .executableTarget(
      name: "FollowedEvents", dependencies: ["Bluetooth", "BlueZ", "DBus"], swiftSettings: strict),
  ])
