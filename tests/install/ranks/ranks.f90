! A user's program in Fortran.
program ranks
  use, intrinsic :: iso_c_binding, only: c_double
  use mpi
  use monofold_ranks
  implicit none
  integer :: rank, code
  real(c_double) :: items(2), total

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  items = merge([1d100, 1d0], [-1d100, 2d0], rank == 0)
  total = mf_sum(MPI_COMM_WORLD, items)
  call MPI_Finalize(code)
  if (total /= 3d0) then
    print *, "not 3: ", total
    stop 1
  end if
end program ranks
