import Testing

@testable import HealthKit
@testable import TestSupport

@Suite struct ApplicationTests {
  @Test(arguments: [
    "org.example.app", "a", "Org.Example-2.App_1", "org.hrgate.monitors", String(repeating: "a", count: 155),
  ])
  func `an explicit bundle identifier names an application`(_ identifier: String) throws {
    let application = try HKHealthStore.Application(bundleIdentifier: identifier, name: "A")
    #expect(application.bundleIdentifier == identifier)
  }

  @Test(arguments: [
    "", "*", "org.example.*", "org example", "org/example", ".org", "org.", "a..b", "é", "a\u{0}", "a\n",
    String(repeating: "a", count: 156),
  ])
  func `a pattern or other text does not`(_ identifier: String) {
    expectFailure(.errorInvalidArgument) {
      try HKHealthStore.Application(bundleIdentifier: identifier, name: "A")
    }
  }

  @Test(arguments: [
    "org.hrgate.monitor", "org.hrgate.monitor.F0-0D", "Org.HRGate.Monitor.1",
    "com.apple.health", "com.apple.Health", "com.apple.health.6F1C",
  ])
  func `names of system sources are rejected`(_ identifier: String) {
    expectFailure(.errorInvalidArgument) {
      try HKHealthStore.Application(bundleIdentifier: identifier, name: "A")
    }
  }

  private static let info = """
    <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
    <key>CFBundleIdentifier</key><string>org.example.app</string>
    <key>CFBundleName</key><string>Example</string>
    <key>CFBundleVersion</key><string>7</string>
    <key>NSHealthShareUsageDescription</key><string>to read</string>
    <key>NSHealthUpdateUsageDescription</key><string>to save</string>
    <key>NSHealthRequiredReadAuthorizationTypeIdentifiers</key>
    <array><string>HKQuantityTypeIdentifierHeartRate</string></array>
    </dict></plist>
    """
  private static let entitlements = """
    <plist version="1.0"><dict><key>com.apple.developer.healthkit</key><true/>
    <key>com.apple.developer.healthkit.background-delivery</key><true/>
    <key>com.apple.developer.healthkit.access</key><array><string>health-records</string></array></dict></plist>
    """

  /// Returns the application of the executable `dir/app`, if `dir` contains these files.
  private func described(_ files: [String: String]) throws -> HKHealthStore.Application? {
    let folder = try TemporaryFolder()
    for (name, text) in files {
      let url = folder.url.appending(path: name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    return try HKHealthStore.Application.described(
      beside: folder.url.appending(path: "app"), bundle: folder.url)
  }

  @Test(arguments: ["", "Contents/", "Resources/", "app.resources/"])
  func `Info.plist and entitlements are found beside the executable`(_ place: String) throws {
    let application = try #require(
      try described(["\(place)Info.plist": Self.info, "\(place)app.entitlements": Self.entitlements]))
    #expect(application.bundleIdentifier == "org.example.app")
    #expect(application.name == "Example")
    #expect(application.version == "7")
    #expect(application.healthShareUsageDescription == "to read")
    #expect(application.healthUpdateUsageDescription == "to save")
    #expect(application.requiredReadTypes == [heartRateType])
    #expect(
      application.entitlements
        == .init(healthKit: true, backgroundDelivery: true, access: ["health-records"]))
  }

  @Test func `a program in a directory with others uses its own resources first`() throws {
    let other = Self.info.replacing("org.example.app", with: "org.example.other")
    let application = try described(["Info.plist": other, "app.resources/Info.plist": Self.info])
    #expect(application?.bundleIdentifier == "org.example.app")
  }

  @Test func `without files there is no application and no entitlement`() throws {
    #expect(try described([:]) == nil)
    #expect(try described(["Info.plist": Self.info])?.entitlements == .init())
    #expect(
      try described(["Info.plist": Self.info, "other.entitlements": Self.entitlements])?.entitlements
        == .init())
  }

  @Test(arguments: [
    "", "<plist><dict>", "<plist version=\"1.0\"><array/></plist>", "<plist version=\"1.0\"><dict/></plist>",
    info.replacing("<string>7</string>", with: "<integer>7</integer>"),
    info.replacing("org.example.app", with: "org.example.*"),
    info.replacing("HKQuantityTypeIdentifierHeartRate", with: "HKQuantityTypeIdentifierFeeling"),
    info.replacing(
      "<array><string>HKQuantityTypeIdentifierHeartRate</string></array>", with: "<string>x</string>"),
  ])
  func `a damaged Info.plist is an error that names the file`(_ text: String) throws {
    let error = #expect(throws: HKError.self) { try described(["Info.plist": text]) }
    #expect(error?.code == .errorInvalidArgument)
    #expect(error?.reason.contains("Info.plist") == true || error?.reason.contains("org.example.*") == true)
  }

  @Test func `damaged entitlements are an error, not missing entitlements`() throws {
    let text = Self.entitlements.replacing("<true/>", with: "<string>yes</string>")
    let error = #expect(throws: HKError.self) {
      try described(["Info.plist": Self.info, "app.entitlements": text])
    }
    #expect(error?.code == .errorInvalidArgument)
    #expect(error?.reason.contains("app.entitlements") == true)
    #expect(error?.reason.contains("com.apple.developer.healthkit") == true)
  }

  @Test func `a program without Info.plist is named by its executable, without entitlements`() throws {
    let application = try HKHealthStore.Application.this.get()
    #expect(application.entitlements == .init())
    #expect(HKSource.default().bundleIdentifier == application.bundleIdentifier)
    #expect(application.bundleIdentifier == ProcessInfo.processInfo.processName)
  }

  @Test func `a missing entitlement is reported with its file and what that file contains`() throws {
    func remedy(_ files: [String]) throws -> (text: String, folder: String) {
      let folder = try TemporaryFolder()
      for name in files {
        let url = folder.url.appending(path: name)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: url)
      }
      let text = HKHealthStore.Application.remedy(
        "com.apple.developer.healthkit", beside: folder.url.appending(path: "app"), bundle: folder.url)
      return (text, folder.url.path)
    }
    let nothing = try remedy([])
    #expect(nothing.text.hasPrefix("Create the property lists \(nothing.folder)/app.resources/Info.plist"))
    #expect(nothing.text.contains("\(nothing.folder)/app.resources/app.entitlements"))
    let info = try remedy(["Contents/Info.plist"])
    #expect(info.text.hasPrefix("Create \(info.folder)/Contents/app.entitlements"))
    let both = try remedy(["Info.plist", "app.entitlements"])
    #expect(both.text == "In \(both.folder)/app.entitlements set com.apple.developer.healthkit to true.")
  }

  @Test func `this program has no entitlement, and the error names the program and the file`() async throws {
    let path = try #require(Bundle.main.executableURL).lastPathComponent
    let error = await #expect(throws: HKError.self) { try await HKHealthStore().save(heartRate(60, at: 0)) }
    let reason = try #require(error?.reason)
    #expect(reason.hasPrefix("Missing com.apple.developer.healthkit entitlement. Create "))
    #expect(reason.contains("/\(path).resources/\(path).entitlements"))
  }
}
