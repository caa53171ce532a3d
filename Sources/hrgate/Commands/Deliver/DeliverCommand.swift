import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// Starts applications that wait for background delivery.
struct DeliverCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deliver",
    abstract: "Start applications that registered for HealthKit background delivery when new data arrives.",
    discussion: .paragraphs(
      """
      An application registers with enableBackgroundDelivery(for:frequency:). When samples of its types are saved
      or deleted while it does not run, this command starts its systemd user unit or its executable, at most as often as
      the application asked for. It stops starting an application that has not acknowledged three deliveries.

      With --person, an executable gets that name in the environment variable HRGATE_PERSON, so that it opens the same person's data.
      A systemd unit must set the variable itself (Environment=HRGATE_PERSON=…). A unit that sets another person is not started.

      The command runs until Ctrl-C and prints one line for each application that it starts.

      EXAMPLES
        hrgate deliver
        hrgate deliver --once --json
        hrgate deliver --person anna
      """))

  private struct Record: Encodable {
    var time: String
    var bundleIdentifier: String
    var types: [String]
    /// The error, if the application could not be started.
    var failure: String?
  }

  @OptionGroup var store: StoreOptions
  @Flag(help: "Start the applications for which there is new data now, then exit.")
  var once = false
  @Flag(help: "Print one JSON object for each started application.")
  var json = false

  func run() async throws {
    let delivery = BackgroundDelivery(try store.openExistingSystem())
    let launcher = ApplicationLauncher(person: LaunchedPerson(choice: try store.choice))
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let interruption = Interruption()
    interruption.onHappening { wake.finish() }
    // Subscribe before the first check, so that no commit is missed.
    let commits = delivery.commits()
    wake.yield()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in commits { wake.yield() } }
      defer { group.cancelAll() }
      var wakes = wakes.makeAsyncIterator()
      var next: Date?
      var failure: String?
      while await Self.nextWake(&wakes, until: next, wake) {
        do {
          next = try await startWhatIsDue(delivery, launcher) { wake.yield() }
          failure = nil
        } catch let error as HKError {
          guard !once else { throw error }
          // Retry after five seconds, because the store may be busy, full or locked only for a while.
          if failure != error.localizedDescription { StandardError.print(error.localizedDescription) }
          failure = error.localizedDescription
          next = Date(timeIntervalSinceNow: 5)
        }
        if once { return }
      }
    }
  }

  /// Waits for the next wake-up, at most until the given time.
  /// - Returns: `false` if the stream of wake-ups has ended, because the user interrupted the command.
  private static func nextWake(
    _ wakes: inout AsyncStream<Void>.Iterator, until time: Date?, _ wake: AsyncStream<Void>.Continuation
  ) async -> Bool {
    await withTaskGroup(of: Void.self) { group in
      if let time {
        group.addTask {
          try? await Task.sleep(for: .seconds(max(0.1, time.timeIntervalSinceNow)))
          if !Task.isCancelled { wake.yield() }
        }
      }
      defer { group.cancelAll() }
      // Not in a child task, because canceling it would end the stream of wake-ups.
      return await wakes.next() != nil
    }
  }

  /// Starts the applications that are due now.
  /// - Returns: The time of the next check, unless a commit causes an earlier one.
  private func startWhatIsDue(
    _ delivery: BackgroundDelivery, _ launcher: ApplicationLauncher, ended: @escaping @Sendable () -> Void
  ) async throws -> Date? {
    let agenda = try await delivery.agenda(at: Date())
    for launch in agenda.launches { try await start(launch, delivery, launcher, ended: ended) }
    return agenda.next
  }

  private func start(
    _ launch: BackgroundDelivery.Launch, _ delivery: BackgroundDelivery, _ launcher: ApplicationLauncher,
    ended: @escaping @Sendable () -> Void
  ) async throws {
    // Claim the launch before starting the application. The application may acknowledge quickly, and another
    // process may want to start the application too.
    guard let launch = try await delivery.claim(launch, at: Date()) else { return }
    var failure: String?
    do {
      try await launcher.start(launch, ended: ended)
    } catch {
      failure = error.message
    }
    let record = Record(
      time: Timestamp.text(Date()), bundleIdentifier: launch.bundleIdentifier, types: launch.types,
      failure: failure)
    if json {
      try StandardOutput.write(JSONLine.text(record))
    } else {
      let types = launch.types.joined(separator: ", ").plain
      let outcome = failure.map { "not started: \($0.plain)" } ?? "started"
      try StandardOutput.write(
        "\(record.time)  \(launch.name.plain) (\(launch.bundleIdentifier.plain))  \(outcome): \(types)")
    }
    try StandardOutput.flush()
  }
}
