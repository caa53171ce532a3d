package import Bluetooth

/// Reading what was recorded while the store was locked.
extension EventIntake {
  /// Continues the run that the store knows as the last one.
  package mutating func resumeRun() { resumeSessions() }

  /// Records that a run ended without a last record: it was killed.
  package mutating func endKilledRun(at time: ReceiptTime) {
    updateSessions { session in
      if session.isFollowed { session.beginGap(.gatewayStopped, at: session.gaps.lastFrame ?? time) }
      session.disconnect()
    }
  }

  /// Ends the segments of beats. Later beats begin new ones.
  package mutating func endSegments() { updateSessions { $0.interrupt() } }

  /// Records that entries are missing. Each monitor that was followed has a gap until its next frame.
  package mutating func loseSealed(at time: ReceiptTime) {
    updateSessions { $0.loseSealed(at: time) }
  }
}
