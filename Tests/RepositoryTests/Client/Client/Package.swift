// swift-tools-version: 6.2
import PackageDescription

// A package like that of another developer. It uses only the public products of hrgate. Each page is a source
// file that is compiled in both language modes; CLIENT_SWIFT=5 selects Swift 5.
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
