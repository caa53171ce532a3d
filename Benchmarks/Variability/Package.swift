// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "VariabilityBenchmark",
  dependencies: [.package(name: "hrgate", path: "../..")],
  targets: [
    .executableTarget(
      name: "VariabilityBenchmark", dependencies: [.product(name: "HeartRateVariability", package: "hrgate")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
