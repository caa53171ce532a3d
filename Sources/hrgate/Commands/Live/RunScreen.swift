import Bluetooth
import Gateway
import Glibc
import Ingestion

/// A running gateway on its owner's terminal: a table that is rewritten in place, each second at least, so
/// that a value grows old before one's eyes.
struct RunScreen {
  private static let pause = Duration.seconds(1)

  let options: RunTable.Options

  private struct Shown {
    var state: GatewayState
    var others = OtherNews()
  }

  /// Shows the gateway until its run ends.
  /// - Throws: ``ClosedPipe`` if the terminal is gone.
  func show(
    _ updates: AsyncStream<GatewayUpdate>, _ others: AsyncStream<RunNews>, of main: String? = nil
  ) async throws {
    let latest = Latest(Shown(state: GatewayState(of: main)))
    let table = LiveTable(isVisible: true)
    let options = options
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          try? await Task.sleep(for: Self.pause)
          table.redraw()
        }
      }
      await RunNews.forEach(updates, others) { news in
        latest.update { shown in
          switch news {
          case .gateway(let update): shown.state = update.state
          case .sync(let news): shown.others.update(with: news)
          case .metrics(let news): shown.others.update(with: news)
          }
        }
        // Not before the first update: a run that does not start shows no table.
        table.show { size in
          let shown = latest.value
          return RunTable(state: shown.state, others: shown.others, now: .now(), options: options).lines(size)
        }
      }
      group.cancelAll()
    }
    try table.end()
    let last = latest.value.state
    if last.hasEnded {
      try StandardOutput.write(last.tally.text)
      try StandardOutput.flush()
    }
  }
}

extension IngestionTally {
  /// The account of a run, for a person.
  var text: String {
    "\(Counted.text(measurements, "measurement")): \(storedMeasurements) stored, "
      + "\(Counted.text(duplicates, "duplicate")), \(rejectedMeasurements) rejected"
  }
}
