import ArgumentParser
import HealthDataSync
import HealthKit
import HealthSystem

/// Shows what applications ask, and takes the user's answers.
struct PermissionsAskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask",
    abstract: "Answer the applications that are waiting for permission.",
    discussion: .paragraphs(
      """
      Answers are lines of standard input: y, n, or c, which leaves the application without a decision. If the input ends, the
      application goes on waiting. What was decided is printed as `hrgate permissions list` prints it.
      """))

  @Flag(help: "Keep waiting for applications that ask later.")
  var watch = false
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print what was decided as JSON objects.")
  var json = false

  func run() async throws {
    let store = try store.openExistingSystem()
    var last: Int64?
    while let next = try await store.nextPendingAuthorization(after: last, waits: watch) {
      last = next.id
      let sheet = PermissionSheet(next.request)
      guard let answer = sheet.ask({ readLine() }, show: StandardError.show) else {
        throw Failure("the input ended before \(sheet.applicationName) had an answer")
      }
      try await store.answer(next, answer)
      try await report(on: next.request, in: store)
    }
    if last == nil { StandardError.tell("no application is waiting for permission") }
  }

  /// What is decided now on the types that were asked about.
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
