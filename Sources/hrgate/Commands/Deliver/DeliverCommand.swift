import ArgumentParser
import Foundation
import HealthKit

/// Starts applications that wait for background delivery.
struct DeliverCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deliver",
    abstract: "Start applications when there is something new for them.",
    discussion: """
      An application registers with enableBackgroundDelivery(for:frequency:). When samples of its types are saved or deleted while
      it does not run, its systemd user unit or its executable is started, as often as it asked for at most. One that does not
      say three times in a row that it has dealt with what was new is started no more.

      Runs until it is interrupted. Each start is one line.

      EXAMPLES
        hrgate deliver
        hrgate deliver --once --json
      """)

  private struct Record: Encodable {
    var time: String
    var bundleIdentifier: String
    var types: [String]
    /// Why it could not be started.
    var failure: String?
  }

  @OptionGroup var store: StoreOptions
  @Flag(help: "Look once, start what is due, and end.")
  var once = false
  @Flag(help: "Print one JSON object for each start.")
  var json = false

  func run() async throws {
    let delivery = BackgroundDelivery(try store.openExisting())
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let interruption = Interruption()
    interruption.onHappening { wake.finish() }
    let commits = try delivery.commits()
    let listening = Task { for await _ in commits { wake.yield() } }
    defer { listening.cancel() }
    var alarm: Task<Void, Never>?
    defer { alarm?.cancel() }
    wake.yield()
    for await _ in wakes {
      var next: Date?
      do {
        let agenda = try await delivery.agenda(at: Date())
        for launch in agenda.launches { try await start(launch, delivery) { wake.yield() } }
        next = agenda.next
      } catch let error as HKError {
        guard !once else { throw error }
        // A store that is busy or full for a while is no reason to end.
        StandardError.write("hrgate: \(error.localizedDescription)")
        next = Date(timeIntervalSinceNow: 5)
      }
      if once { return }
      alarm?.cancel()
      alarm = next.map { time in
        Task {
          try? await Task.sleep(for: .seconds(max(0.1, time.timeIntervalSinceNow)))
          if !Task.isCancelled { wake.yield() }
        }
      }
    }
  }

  private func start(
    _ launch: BackgroundDelivery.Launch, _ delivery: BackgroundDelivery, ended: @escaping @Sendable () -> Void
  ) async throws {
    // Before the start: the application may be quick to acknowledge, and another process quick to start it.
    guard let launch = try await delivery.claim(launch, at: Date()) else { return }
    var failure: String?
    do {
      try await ApplicationLauncher().start(launch, ended: ended)
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
