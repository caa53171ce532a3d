public import Foundation

extension HKHealthStore.Application {
  /// What an `Info.plist`, and an entitlements file, say.
  /// - Parameter entitlements: nil for none.
  /// - Throws: `HKError`, errorInvalidArgument, with the file and the key: it cannot be read, the bundle
  ///   identifier is missing or not explicit, a value is of the wrong kind, a required type does not exist.
  public init(infoDictionary: URL, entitlements: URL?) throws(HKError) {
    let entitled =
      if let entitlements { try Entitlements(PropertyList(entitlements)) } else { Entitlements() }
    try self.init(PropertyList(infoDictionary), entitled)
  }

  private init(_ info: PropertyList, _ entitlements: Entitlements) throws(HKError) {
    guard let identifier = try info.text("CFBundleIdentifier") else {
      throw HKError(.errorInvalidArgument, reason: "\(info.url.path): CFBundleIdentifier is missing")
    }
    let names = [try info.text("CFBundleDisplayName"), try info.text("CFBundleName")]
    var required: Set<HKObjectType> = []
    for type in try info.texts("NSHealthRequiredReadAuthorizationTypeIdentifiers") ?? [] {
      guard let known = ObjectTypes.type(type) else {
        throw HKError(
          .errorInvalidArgument,
          reason:
            "\(info.url.path): NSHealthRequiredReadAuthorizationTypeIdentifiers: there is no type \(type)")
      }
      required.insert(known)
    }
    try self.init(
      bundleIdentifier: identifier, name: names.lazy.compactMap(\.self).first ?? identifier,
      version: try info.text("CFBundleVersion"), entitlements: entitlements,
      healthShareUsageDescription: try info.text("NSHealthShareUsageDescription"),
      healthUpdateUsageDescription: try info.text("NSHealthUpdateUsageDescription"),
      requiredReadTypes: required, backgroundUnit: try info.text("HRGBackgroundUnit"))
  }

  /// This program, as the files beside its executable describe it; nil if there are none.
  ///
  /// For an executable `dir/name` the first of these is the `Info.plist`: `dir/name.resources/Info.plist`,
  /// which is for folders with several programs; then where Foundation on Linux looks for a bundle's:
  /// `dir/Contents/Info.plist`, `dir/Resources/Info.plist`, `dir/Info.plist`; for `X.app/Contents/Linux/name`
  /// it is `X.app/Contents/Info.plist`. The entitlements are in `name.entitlements` beside it.
  /// - Throws: as `init(infoDictionary:entitlements:)`.
  public static func main() throws(HKError) -> HKHealthStore.Application? {
    guard let executable = Bundle.main.executableURL else { return nil }
    return try described(beside: executable, bundle: Bundle.main.bundleURL)
  }

  static func described(
    beside executable: URL, bundle: URL
  ) throws(HKError) -> HKHealthStore.Application? {
    let files = Files(beside: executable, bundle: bundle)
    guard files.info.exists else { return nil }
    return try HKHealthStore.Application(
      infoDictionary: files.info, entitlements: files.entitlements.exists ? files.entitlements : nil)
  }

  /// What to say where an application has not claimed an entitlement: in which file it is looked for.
  func lacking(_ entitlement: String) -> String {
    let missing = "Missing \(entitlement) entitlement."
    // Another one was described by code, which knows what it left out.
    guard self == (try? Self.this.get()), let executable = Bundle.main.executableURL else { return missing }
    return missing + " " + Self.remedy(entitlement, beside: executable, bundle: Bundle.main.bundleURL)
  }

  /// Where an entitlement belongs, and what of that place is missing.
  static func remedy(_ entitlement: String, beside executable: URL, bundle: URL) -> String {
    let files = Files(beside: executable, bundle: bundle)
    guard files.info.exists else {
      return
        "\(files.info.path) does not exist, nor does \(files.entitlements.path): the one says who the program is, "
        + "the other, a property list, has \(entitlement) set to true."
    }
    return files.entitlements.exists
      ? "In \(files.entitlements.path) set \(entitlement) to true."
      : "\(files.entitlements.path) does not exist: make it, a property list with \(entitlement) set to true."
  }

  /// Where a program is described.
  private struct Files {
    let info: URL
    let entitlements: URL

    /// The first place that has an `Info.plist`; if none has, the first of all.
    init(beside executable: URL, bundle: URL) {
      let name = executable.lastPathComponent
      let own = executable.deletingLastPathComponent().appending(path: "\(name).resources")
      let folders = [own, bundle.appending(path: "Contents"), bundle.appending(path: "Resources"), bundle]
      let folder = folders.first { $0.appending(path: "Info.plist").exists } ?? own
      info = folder.appending(path: "Info.plist")
      entitlements = folder.appending(path: "\(name).entitlements")
    }
  }

  /// Read once: a running program stays what it is.
  static let this = Result { () throws(HKError) in
    try main() ?? HKHealthStore.Application(executable: ProcessInfo.processInfo.processName)
  }
}

extension HKHealthStore.Application.Entitlements {
  fileprivate init(_ list: PropertyList) throws(HKError) {
    self.init(
      healthKit: try list.isTrue("com.apple.developer.healthkit"),
      backgroundDelivery: try list.isTrue("com.apple.developer.healthkit.background-delivery"),
      access: try list.texts("com.apple.developer.healthkit.access") ?? [])
  }
}

extension URL {
  fileprivate var exists: Bool { FileManager.default.fileExists(atPath: path) }
}
