public import Foundation

extension HKHealthStore.Application {
  /// Creates an application from an `Info.plist` and an entitlements file.
  /// - Parameters:
  ///   - infoDictionary: The URL of the `Info.plist`.
  ///   - entitlements: The URL of the entitlements file, or nil without such a file.
  /// - Throws: `HKError.errorInvalidArgument`, with the file and the key, if:
  ///   - a file cannot be read
  ///   - the bundle identifier is missing or not explicit
  ///   - a value has the wrong type
  ///   - a required type does not exist
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

  /// Reads this program's description from the files next to its executable. Returns nil if there is no
  /// `Info.plist`.
  ///
  /// For an executable `dir/name`, these paths are searched in order:
  /// - `dir/name.resources/Info.plist`, for directories that hold several programs
  /// - `dir/Contents/Info.plist`, `dir/Resources/Info.plist` and `dir/Info.plist`, where Foundation on Linux
  ///   looks for a bundle's `Info.plist`
  ///
  /// For an executable `X.app/Contents/Linux/name`, the path is `X.app/Contents/Info.plist`. The entitlements
  /// are read from `name.entitlements` in the same directory.
  ///
  /// ```swift
  /// guard let application = try HKHealthStore.Application.main() else {
  ///   fatalError("There is no Info.plist beside the executable.")
  /// }
  /// print(application.bundleIdentifier, application.entitlements.healthKit)
  /// ```
  /// - Throws: The errors of `init(infoDictionary:entitlements:)`.
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

  /// Returns an error message for a missing entitlement. If possible, it names the file to which the user can
  /// add the entitlement.
  func lacking(_ entitlement: String) -> String {
    let missing = "Missing \(entitlement) entitlement."
    // If the description was created in code, there is no file to name.
    guard self == (try? Self.this.get()), let executable = Bundle.main.executableURL else { return missing }
    return missing + " " + Self.remedy(entitlement, beside: executable, bundle: Bundle.main.bundleURL)
  }

  /// Returns advice on how to add an entitlement: the file to edit or create.
  static func remedy(_ entitlement: String, beside executable: URL, bundle: URL) -> String {
    let files = Files(beside: executable, bundle: bundle)
    guard files.info.exists else {
      return
        "Create the property lists \(files.info.path), which identifies the program, and \(files.entitlements.path), "
        + "with \(entitlement) set to true."
    }
    return files.entitlements.exists
      ? "In \(files.entitlements.path) set \(entitlement) to true."
      : "Create \(files.entitlements.path), a property list with \(entitlement) set to true."
  }

  /// The paths of the files that describe a program.
  private struct Files {
    let info: URL
    let entitlements: URL

    /// Chooses the first directory that has an `Info.plist`. If no directory has one, chooses the program's
    /// `.resources` directory.
    init(beside executable: URL, bundle: URL) {
      let name = executable.lastPathComponent
      let own = executable.deletingLastPathComponent().appending(path: "\(name).resources")
      let folders = [own, bundle.appending(path: "Contents"), bundle.appending(path: "Resources"), bundle]
      let folder = folders.first { $0.appending(path: "Info.plist").exists } ?? own
      info = folder.appending(path: "Info.plist")
      entitlements = folder.appending(path: "\(name).entitlements")
    }
  }

  /// This program's description, or the error from reading it. It is read only once per process.
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
