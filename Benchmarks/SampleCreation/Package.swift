// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SampleCreation",
  dependencies: [.package(name: "hrgate", path: "../..")],
  targets: [
    .executableTarget(
      name: "SampleCreation", dependencies: [.product(name: "HealthKit", package: "hrgate")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
