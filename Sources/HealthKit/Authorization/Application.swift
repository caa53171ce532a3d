import Foundation

extension HKHealthStore {
  /// The program that uses a health store, as shown to the user.
  ///
  /// It contains what an `Info.plist` and an entitlements file declare. Apple's framework has no such type,
  /// because the system reads these files itself.
  ///
  /// ```swift
  /// let application = try HKHealthStore.Application(
  ///   bundleIdentifier: "org.example.recorder", name: "Recorder",
  ///   healthShareUsageDescription: "Shows your heart rate.",
  ///   healthUpdateUsageDescription: "Saves the values you enter.")
  /// let store = try HKHealthStore(
  ///   configuration: HKHealthStore.Configuration(
  ///     location: .memory, application: application, decision: .everything))
  /// ```
  public struct Application: Hashable, Sendable {
    /// The entitlements that the program claims. Each one defaults to false or empty.
    public struct Entitlements: Hashable, Sendable {
      /// `com.apple.developer.healthkit`. Without it the program cannot save, read or request authorization.
      public var healthKit: Bool
      /// `com.apple.developer.healthkit.background-delivery`.
      public var backgroundDelivery: Bool
      /// `com.apple.developer.healthkit.access`: additional kinds of data, such as `health-records`.
      public var access: [String]

      public init(healthKit: Bool = false, backgroundDelivery: Bool = false, access: [String] = []) {
        self.healthKit = healthKit
        self.backgroundDelivery = backgroundDelivery
        self.access = access
      }
    }

    /// The value of `CFBundleIdentifier`. Permissions and samples are stored under it.
    public let bundleIdentifier: String
    /// The name shown to the user.
    public let name: String
    /// The value of `CFBundleVersion`. It becomes the version in the source revision of saved samples.
    public let version: String?
    /// The entitlements that the program's entitlements file declares.
    public let entitlements: Entitlements
    /// `NSHealthShareUsageDescription`: the reason for reading, shown to the user.
    public let healthShareUsageDescription: String?
    /// `NSHealthUpdateUsageDescription`: the reason for saving, shown to the user.
    public let healthUpdateUsageDescription: String?
    /// `HRGBackgroundUnit`: the systemd user unit that starts the program in the background. If nil, the
    /// executable is started directly.
    public let backgroundUnit: String?
    /// `NSHealthRequiredReadAuthorizationTypeIdentifiers`: the types that the program must be allowed to read
    /// to be useful.
    public let requiredReadTypes: Set<HKObjectType>

    /// Creates a description of a program.
    /// - Parameter bundleIdentifier: One to 155 ASCII letters, digits, `-`, `_` and single dots between them.
    ///   Wildcards are not allowed. The prefixes of system sources, `org.hrgate.monitor.` and
    ///   `com.apple.health`, are reserved.
    /// - Throws: `HKError.errorInvalidArgument` if the bundle identifier is not valid.
    public init(
      bundleIdentifier: String, name: String, version: String? = nil,
      entitlements: Entitlements = Entitlements(healthKit: true),
      healthShareUsageDescription: String? = nil, healthUpdateUsageDescription: String? = nil,
      requiredReadTypes: Set<HKObjectType> = [], backgroundUnit: String? = nil
    ) throws(HKError) {
      guard Self.isExplicit(bundleIdentifier) else {
        throw HKError(
          .errorInvalidArgument,
          reason: "\"\(bundleIdentifier.prefix(160))\" is not an explicit bundle identifier")
      }
      guard !Self.isOfSystem(bundleIdentifier) else {
        throw HKError(.errorInvalidArgument, reason: "\"\(bundleIdentifier)\" is reserved for system sources")
      }
      self.init(
        trusting: bundleIdentifier, name: name, version: version, entitlements: entitlements,
        healthShareUsageDescription: healthShareUsageDescription,
        healthUpdateUsageDescription: healthUpdateUsageDescription, requiredReadTypes: requiredReadTypes,
        backgroundUnit: backgroundUnit)
    }

    init(
      trusting bundleIdentifier: String, name: String, version: String?, entitlements: Entitlements,
      healthShareUsageDescription: String?, healthUpdateUsageDescription: String?,
      requiredReadTypes: Set<HKObjectType>, backgroundUnit: String?
    ) {
      self.bundleIdentifier = bundleIdentifier
      self.name = name
      self.version = version
      self.entitlements = entitlements
      self.healthShareUsageDescription = healthShareUsageDescription
      self.healthUpdateUsageDescription = healthUpdateUsageDescription
      self.requiredReadTypes = requiredReadTypes
      self.backgroundUnit = backgroundUnit
    }

    /// Creates a description of a program without an `Info.plist`. It is identified by its executable's name
    /// and has no entitlements.
    init(executable: String) {
      self.init(
        trusting: executable, name: executable, version: nil, entitlements: Entitlements(),
        healthShareUsageDescription: nil, healthUpdateUsageDescription: nil, requiredReadTypes: [],
        backgroundUnit: nil)
    }

    private static func isExplicit(_ identifier: String) -> Bool {
      let letters = identifier.utf8
      guard (1...155).contains(letters.count), letters.allSatisfy({ allowed.contains($0) }) else {
        return false
      }
      return identifier.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    /// Returns whether a bundle identifier is reserved for monitors and devices. A program that had such an
    /// identifier could change their samples.
    private static func isOfSystem(_ identifier: String) -> Bool {
      let identifier = identifier.lowercased() + "."
      return ["org.hrgate.monitor.", "com.apple.health"].contains { identifier.hasPrefix($0) }
    }

    private static let allowed = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)

    /// The source revision of the samples that the program saves.
    var revision: HKSourceRevision {
      HKSourceRevision(
        source: HKSource(name: name, bundleIdentifier: bundleIdentifier), version: version)
    }
  }
}
