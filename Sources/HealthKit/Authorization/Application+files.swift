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
    let name = executable.lastPathComponent
    let folders = [
      executable.deletingLastPathComponent().appending(path: "\(name).resources"),
      bundle.appending(path: "Contents"), bundle.appending(path: "Resources"), bundle,
    ]
    for folder in folders {
      let info = folder.appending(path: "Info.plist")
      guard FileManager.default.fileExists(atPath: info.path) else { continue }
      let entitlements = folder.appending(path: "\(name).entitlements")
      let isEntitled = FileManager.default.fileExists(atPath: entitlements.path)
      return try HKHealthStore.Application(
        infoDictionary: info, entitlements: isEntitled ? entitlements : nil)
    }
    return nil
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
