import Foundation

extension HKHealthStore {
  /// The program as the user is shown it: what an `Info.plist` and an entitlements file say of it. (Not in
  /// Apple's framework, where the system reads them.)
  public struct Application: Hashable, Sendable {
    /// What the program claims to be entitled to. Each is false or empty unless it is claimed.
    public struct Entitlements: Hashable, Sendable {
      /// `com.apple.developer.healthkit`: without it nothing is saved, read or asked.
      public var healthKit: Bool
      /// `com.apple.developer.healthkit.background-delivery`.
      public var backgroundDelivery: Bool
      /// `com.apple.developer.healthkit.access`, such as `health-records`.
      public var access: [String]

      public init(healthKit: Bool = false, backgroundDelivery: Bool = false, access: [String] = []) {
        self.healthKit = healthKit
        self.backgroundDelivery = backgroundDelivery
        self.access = access
      }
    }

    /// `CFBundleIdentifier`: what permission and samples are kept under.
    public let bundleIdentifier: String
    /// What the user calls it.
    public let name: String
    /// `CFBundleVersion`, which becomes the version of the source revision.
    public let version: String?
    public let entitlements: Entitlements
    /// `NSHealthShareUsageDescription`: why the program reads.
    public let healthShareUsageDescription: String?
    /// `NSHealthUpdateUsageDescription`: why the program saves.
    public let healthUpdateUsageDescription: String?
    /// `HRGBackgroundUnit`: the systemd user unit that starts the program in the background; nil for its
    /// executable.
    public let backgroundUnit: String?
    /// `NSHealthRequiredReadAuthorizationTypeIdentifiers`: without these the program is of no use.
    public let requiredReadTypes: Set<HKObjectType>

    /// - Parameter bundleIdentifier: letters, digits, `-`, `_` and single dots between; 155 characters at
    ///   most. Not a pattern, and not as the system's own sources are called: `org.hrgate.monitor.…`,
    ///   `com.apple.health…`.
    /// - Throws: `HKError`, errorInvalidArgument, for another bundle identifier.
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
        throw HKError(.errorInvalidArgument, reason: "\"\(bundleIdentifier)\" is not for applications")
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

    /// A program that says nothing of itself: known by its executable's name, and entitled to nothing.
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

    /// Under such a name an application would own what monitors and devices saved.
    private static func isOfSystem(_ identifier: String) -> Bool {
      let identifier = identifier.lowercased() + "."
      return ["org.hrgate.monitor.", "com.apple.health"].contains { identifier.hasPrefix($0) }
    }

    private static let allowed = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)

    /// As it stamps what it saves.
    var revision: HKSourceRevision {
      HKSourceRevision(
        source: HKSource(name: name, bundleIdentifier: bundleIdentifier), version: version)
    }
  }
}
