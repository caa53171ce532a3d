// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SyncBenchmark",
  dependencies: [.package(name: "hrgate", path: "../..")],
  targets: [
    .executableTarget(
      name: "SyncBenchmark",
      dependencies: [
        .product(name: "HealthDataSync", package: "hrgate"), .product(name: "HealthKit", package: "hrgate"),
        .product(name: "ExternalStores", package: "hrgate"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
