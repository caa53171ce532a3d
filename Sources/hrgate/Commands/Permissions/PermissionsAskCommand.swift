import ArgumentParser
import HealthDataSync
import HealthKit
import HealthSystem

/// Shows the pending requests of applications and stores the user's answers.
struct PermissionsAskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask",
    abstract: "Decide in the terminal on applications that ask for permission to save or read your data.",
    discussion: .paragraphs(
      """
      For each application the command first asks whether to allow everything that it requests. Type y (yes), n (no: it then
      asks about each type) or c (cancel without a decision). If the input ends before you answer, the application keeps
      waiting. The decisions are printed in the format of `hrgate permissions list`.
      """))

  @Flag(help: "Keep waiting for requests until Ctrl-C, instead of ending when no request is pending.")
  var watch = false
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each decision.")
  var json = false

  func run() async throws {
    let store = try store.openExistingSystem()
    var last: Int64?
    while let next = try await store.nextPendingAuthorization(after: last, waits: watch) {
      last = next.id
      let sheet = PermissionSheet(next.request)
      guard let answer = sheet.ask({ readLine() }, show: StandardError.show) else {
        throw CommandError("the input ended before \(sheet.applicationName) was answered")
      }
      try await store.answer(next, answer)
      try await report(on: next.request, in: store)
    }
    if last == nil { StandardError.print("no application is waiting for permission") }
  }

  /// Prints the current decisions on the requested types.
  private func report(
    on request: HKHealthStore.Configuration.Request, in store: SystemStore
  ) async throws {
    let types = Set(request.read.map(\.identifier)).union(request.share.map(\.identifier))
    for permission in try await store.permissions()
    where permission.bundleIdentifier == request.application.bundleIdentifier
      && types.contains(permission.type)
    {
      let record = PermissionLine(permission)
      try StandardOutput.write(json ? JSONLine.text(record) : record.text)
    }
    try StandardOutput.flush()
  }
}
