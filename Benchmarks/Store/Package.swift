// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "StoreBenchmark",
  dependencies: [.package(name: "hrgate", path: "../..")],
  targets: [
    .executableTarget(
      name: "StoreBenchmark", dependencies: [.product(name: "HealthKit", package: "hrgate")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
