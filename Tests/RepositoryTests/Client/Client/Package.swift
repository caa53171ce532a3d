// swift-tools-version: 6.2
import PackageDescription

// A package of another developer. It depends only on products that are for everyone. Its pages are compiled
// in both language modes; CLIENT_SWIFT=5 selects the older one.
let package = Package(
  name: "Client",
  dependencies: [.package(name: "hrgate", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Client",
      dependencies: [
        .product(name: "HealthKit", package: "hrgate"), .product(name: "CoreLocation", package: "hrgate"),
        .product(name: "HealthDataSync", package: "hrgate"),
        .product(name: "UniformTypeIdentifiers", package: "hrgate"),
      ])
  ],
  swiftLanguageModes: [Context.environment["CLIENT_SWIFT"] == "5" ? .v5 : .v6]
)
